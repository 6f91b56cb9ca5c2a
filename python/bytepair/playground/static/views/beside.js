// Side by side: the same text under two to four tokenizers, with what it costs.

import { ask } from '../api.js'
import { watch } from '../card.js'
import { $, element, figures, number, several, show, tell } from '../page.js'
import { state } from '../state.js'

const MOST = 4
let app
let found = null

export function start(given) {
  app = given
}

const chosen = () => {
  const known = app.tokenizers.map((one) => one.name)
  const named = state.beside.split(',').map(bare).filter((name) => known.includes(name))
  return named.length >= 2 ? named.slice(0, MOST) : [...new Set([state.tokenizer, ...known])].slice(0, 2)
}
// Names with a comma are kept apart by it all the same.
const joined = (names) => names.map((name) => name.replaceAll('%', '%25').replaceAll(',', '%2C')).join()
const bare = (name) => name.replaceAll('%2C', ',').replaceAll('%25', '%')
const prices = () => state.prices.split(',')

export async function draw() {
  const names = chosen()
  choice(names)
  $('beside-sides').classList.add('stale')
  found = await ask('beside', 'beside', { tokenizers: names, text: state.text, special: state.special })
  if (!found) return
  $('beside-sides').classList.remove('stale')
  sides()
  tell(found.sides.map((side) => `${side.name}: ${several(side.tokens, 'token')}`).join(', '))
}

function choice(names) {
  const box = $('beside-choice')
  if (box.dataset.names === names.join() + app.tokenizers.length) return
  box.dataset.names = names.join() + app.tokenizers.length
  box.replaceChildren(
    ...names.map((name, at) => {
      const select = element('select', { id: `beside-${at}` }, ...app.tokenizers.map((one) => element('option', { value: one.name, textContent: one.name })))
      select.value = name
      select.addEventListener('change', () => app.set({ beside: joined(names.with(at, select.value)) }))
      const price = element('input', { type: 'number', min: 0, step: 'any', value: prices()[at] ?? '', placeholder: 'price' })
      price.setAttribute('aria-label', `Price of a million tokens of number ${at + 1}`)
      price.addEventListener('input', () => {
        const all = names.map((_, index) => prices()[index] ?? '').with(at, price.value)
        app.note({ prices: all.some(Boolean) ? all.join() : '' })
        if (found) sides()
      })
      const label = element('label', { className: 'field' }, `Number ${at + 1}`, select)
      const cost = element('label', { className: 'field' }, 'for a million', price)
      const cell = element('div', { className: 'controls' }, label, cost)
      if (names.length > 2) {
        const away = element('button', { type: 'button', textContent: '×' })
        away.setAttribute('aria-label', `Take ${name} away`)
        away.addEventListener('click', () => app.set({ beside: joined(names.toSpliced(at, 1)) }))
        cell.append(away)
      }
      return cell
    }),
  )
  if (names.length < MOST) {
    const more = element('button', { type: 'button', textContent: 'One more' })
    const other = app.tokenizers.find((one) => !names.includes(one.name)) ?? app.tokenizers[0]
    more.addEventListener('click', () => app.set({ beside: joined([...names, other.name]) }))
    box.append(more)
  }
}

function sides() {
  const fewest = Math.min(...found.sides.map((side) => side.tokens))
  $('beside-sides').replaceChildren(
    ...found.sides.map((side, at) => {
      const line = element('p', { className: 'counts' })
      const price = parseFloat(prices()[at])
      const times = fewest && side.tokens > fewest ? [[`×${number(side.tokens / fewest, 2)}`, 'of the fewest']] : [['fewest', '']]
      figures(line, [
        [number(side.tokens), side.tokens === 1 ? 'token' : 'tokens'],
        ...times,
        [number(side.tokens ? side.characters / side.tokens : 0, 2), 'characters a token'],
        [number(side.differ), 'cut differently'],
        ...(price >= 0 ? [[number((side.tokens * price) / 1e6, 6), 'cost']] : []),
      ])
      const drawn = element('div', { className: 'drawn', tabIndex: 0 })
      drawn.setAttribute('role', 'group')
      drawn.setAttribute('aria-label', `The text, cut by ${side.name}. The arrow keys go from token to token.`)
      show(drawn, side.html)
      watch(drawn, () => side.name)
      const rest = side.left ? [element('p', { className: 'note', textContent: `and ${several(side.left, 'token')} more` })] : []
      const note = side.note ? [element('p', { className: 'note', textContent: side.note })] : []
      return element('div', { className: 'side' }, element('h3', { textContent: side.name }), line, ...note, drawn, ...rest)
    }),
  )
}
