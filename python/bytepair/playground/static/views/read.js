// Read: a text cut into tokens, ids, bytes or pretokens, drawn in parts as they come into sight.

import { ask } from '../api.js'
import { watch } from '../card.js'
import { $, element, figures, note, number, problem, several, show, tell } from '../page.js'
import { state } from '../state.js'

let next = null
let request = null

export function start() {
  watch($('read-drawn'))
  $('read-more').addEventListener('click', more)
  new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && more(), { rootMargin: '600px' }).observe($('read-more'))
  $('copy').addEventListener('click', copy)
}

export async function draw() {
  const { tokenizer, text, special, show: view } = state
  request = { tokenizer, text, special, view, context: Math.min(Math.max(parseInt(state.context) || 512, 1), 2 ** 31) }
  $('read-drawn').classList.add('stale')
  const found = await ask('read', 'read', request)
  if (!found) return
  $('read-drawn').classList.remove('stale')
  show($('read-drawn'), found.html)
  show($('read-alternatives'), found.alternatives ?? '')
  note($('read'), found.note)
  counts(found)
  fit(found, request.context)
  rest(found)
  tell(several(found.tokens, 'token'))
}

function counts(found) {
  const perWord = found.words ? [[number(found.tokens / found.words, 2), 'tokens a word']] : []
  figures($('read-counts'), [
    [number(found.tokens), found.tokens === 1 ? 'token' : 'tokens'],
    [number(found.characters), found.characters === 1 ? 'character' : 'characters'],
    [number(found.bytes), found.bytes === 1 ? 'byte' : 'bytes'],
    ...perWord,
    [number(found.pretokens), found.pretokens === 1 ? 'pretoken' : 'pretokens'],
    ...(found.partial ? [[number(found.partial), 'tokens are parts of characters']] : []),
    ...(found.special ? [[number(found.special), 'special']] : []),
  ])
}

function fit(found, context) {
  const share = found.tokens ? Math.min(context / found.tokens, 1) : 1
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  svg.setAttribute('class', 'bar')
  svg.setAttribute('aria-hidden', 'true')
  const bar = document.createElementNS('http://www.w3.org/2000/svg', 'rect')
  bar.setAttribute('width', `${(share * 100).toFixed(2)}%`)
  bar.setAttribute('height', '100%')
  svg.append(bar)
  const said =
    found.tokens <= context
      ? `All of it fits into a context of ${several(context, 'token')}.`
      : `A context of ${several(context, 'token')} holds the first ${several(found.ruler.characters, 'character')} of ${number(found.characters)}.`
  $('read-fit').replaceChildren(svg, element('p', { className: 'note', textContent: said }))
}

function rest(found) {
  next = found.next
  $('read-more').hidden = next === null
  const noun = state.show === 'pretokens' ? 'pretoken' : 'token'
  $('read-more').textContent = `and ${several(found.left, noun)} more`
}

async function more() {
  if (next === null || !request) return
  const from = next
  next = null
  try {
    const found = await ask('read', 'read', { ...request, from })
    if (!found) return
    const part = element('div')
    show(part, found.html)
    $('read-drawn').append(part)
    rest(found)
  } catch (error) {
    problem(error)
  }
}

async function copy() {
  const { tokenizer, text, special } = state
  try {
    const found = await ask('copy', 'encode', { tokenizer, text, special })
    if (!found) return
    await navigator.clipboard.writeText(JSON.stringify(found.ids))
    $('copy').textContent = 'Copied'
    setTimeout(() => ($('copy').textContent = 'Copy the ids'), 1500)
  } catch (error) {
    problem(error)
  }
}
