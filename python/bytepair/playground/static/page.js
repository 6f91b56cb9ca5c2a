// Small tools of all views: elements, numbers, problems, and what is told to those who listen.

// Bytes of a tokenizer's file, and of all files that one is trained on: as in limits.py.
export const MOST_OPENED = 2 ** 26
export const MOST_UPLOAD = 2 ** 25

export const $ = (id) => document.getElementById(id)

// HTML of the server, which has escaped it.
export function show(node, html) {
  node.innerHTML = html
}

export function element(tag, properties = {}, ...children) {
  const node = Object.assign(document.createElement(tag), properties)
  node.append(...children)
  return node
}

export const number = (value, digits = 0) =>
  value === null || value === undefined ? '–' : Number(value).toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: digits })

export const several = (value, noun) => `${number(value)} ${noun}${value === 1 ? '' : 's'}`

// A line of figures: [value, words] pairs.
export function figures(node, pairs) {
  node.replaceChildren(...pairs.flatMap(([value, words], at) => [at ? ' · ' : '', element('b', { textContent: value }), ` ${words}`]))
}

// What went wrong, of a view or of an action. A view that was drawn takes back what it said itself, and no more.
export function problem(error, of = 'action') {
  const node = $('problem')
  if (!error && of === 'view' && node.dataset.of === 'action') return
  node.dataset.of = of
  node.hidden = !error
  node.textContent = error ? told(error) : ''
}

// A message and its hint, as sentences.
export const told = ({ message, hint }) => `${sentence(message)} ${hint ? sentence(hint) : ''}`.trim()

const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`

export function tell(text) {
  $('told').textContent = text
}

export function note(section, text) {
  const node = section.querySelector('[data-note]')
  if (node) node.textContent = text ?? ''
}

export function later(work, milliseconds) {
  let timer
  return (...given) => {
    clearTimeout(timer)
    timer = setTimeout(() => work(...given), milliseconds)
  }
}
