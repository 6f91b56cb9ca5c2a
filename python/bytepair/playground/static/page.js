// Small tools of all views: elements, numbers, problems, and what is told to those who listen.

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
  node.textContent = error ? `${sentence(error.message)} ${error.hint ? sentence(error.hint) : ''}`.trim() : ''
}

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
