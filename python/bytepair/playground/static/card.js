// The card of one token: its bytes, id, rank, count and merge tree, for a token that is pointed at or gone to by keys.

import { ask } from './api.js'
import { $, element, number, problem, show } from './page.js'
import { state } from './state.js'

const BOXES = '.token, .partial, .special'
const known = new Map()

// Empties the card; on a wide page it stands beside the text and says what it is for.
export function forget() {
  const wide = matchMedia('(min-width: 70rem)').matches && 'card' in $('main').dataset
  $('card').hidden = !wide
  $('card').replaceChildren(element('p', { className: 'note', textContent: 'Point at a token, click it, or go to it with the arrow keys: here is what is known of it.' }))
}

// Makes the tokens in a node answer the pointer and the keys.
export function watch(node, tokenizer = () => state.tokenizer) {
  let waiting
  node.addEventListener('pointerover', (event) => {
    const box = event.target.closest(BOXES)
    if (!box || event.pointerType === 'touch') return
    clearTimeout(waiting)
    waiting = setTimeout(() => pointed(node, box, tokenizer()), 80)
  })
  node.addEventListener('pointerleave', () => clearTimeout(waiting))
  node.addEventListener('click', (event) => {
    const box = event.target.closest(BOXES)
    if (box) pointed(node, box, tokenizer())
  })
  node.addEventListener('keydown', (event) => {
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 10, ArrowUp: -10, Home: -Infinity, End: Infinity }
    if (event.key === 'Escape') return forget()
    if (!(event.key in steps) || event.altKey || event.ctrlKey || event.metaKey) return
    const boxes = [...node.querySelectorAll(BOXES)]
    if (!boxes.length) return
    event.preventDefault()
    const at = boxes.indexOf(node.querySelector('.current'))
    const next = at < 0 ? 0 : Math.min(Math.max(at + steps[event.key], 0), boxes.length - 1)
    boxes[next].scrollIntoView({ block: 'nearest' })
    pointed(node, boxes[next], tokenizer())
  })
}

function pointed(node, box, tokenizer) {
  node.querySelector('.current')?.classList.remove('current')
  box.classList.add('current')
  if (box.dataset.id) token(Number(box.dataset.id), tokenizer, box.title)
  else draw([['', box.textContent], ['', box.title]])
}

export async function token(id, tokenizer, where = '') {
  const key = `${tokenizer} ${id}`
  try {
    const found = known.get(key) ?? (await ask('card', 'token', { tokenizer, id }))
    if (!found) return
    if (known.size > 500) known.clear()
    known.set(key, found)
    const characters = found.characters === null ? 'part of a character' : number(found.characters)
    draw(
      [
        ['token', `“${found.token}”`], ['id', String(id)], ['bytes', `${found.hex} (${found.bytes})`], ['characters', characters],
        ...(found.special ? [['kind', 'special token']] : []),
        ...(found.rank === null ? [] : [['merge', number(found.rank)]]),
        ...(found.count === null ? [] : [['its pair stood', `${number(found.count)} times`]]),
        ...(where ? [['here', where.replace(/\bid \d+, /, '')]] : []),
      ],
      found.html,
    )
  } catch (error) {
    problem(error)
  }
}

function draw(pairs, html = '') {
  const card = $('card')
  const close = element('button', { type: 'button', className: 'close', textContent: '×' })
  close.setAttribute('aria-label', 'Close')
  close.addEventListener('click', forget)
  const list = element('dl')
  for (const [name, value] of pairs) {
    list.append(element('div', {}, element('dt', { textContent: name }), element('dd', { textContent: value, dir: 'auto' })))
  }
  const tree = element('div')
  show(tree, html)
  card.replaceChildren(close, list, tree)
  card.hidden = false
}
