// Size: the text cut live by the tokenizer of the first merges, as many as the slider says.

import { ask } from '../api.js'
import { watch } from '../card.js'
import { $, figures, note, number, problem, several, show } from '../page.js'
import { state } from '../state.js'

const STEPS = 2000
let app
let asked = ''
let most = 0

export function start(given) {
  app = given
  $('merges').addEventListener('input', () => {
    app.note({ size: String(mergesAt(Number($('merges').value))) })
    cut().catch(problem)
  })
  watch($('size-drawn'))
}

export async function draw() {
  const { tokenizer, text } = state
  const key = JSON.stringify([tokenizer, text, width()])
  if (key !== asked) {
    const found = await ask('sizes', 'sizes', { tokenizer, text, width: width() })
    if (!found) return
    asked = key
    most = found.merges
    $('merges').max = Math.min(most, STEPS)
    show($('size-curve'), found.html)
  }
  $('merges').value = placeOf(wanted())
  await cut()
}

const wanted = () => (state.size === '' ? most : Math.min(Math.max(parseInt(state.size) || 0, 0), most))

// The slider goes through small sizes one by one and through large ones in growing steps: most happens early.
function mergesAt(place) {
  const steps = Math.max(Math.min(most, STEPS), 1)
  return Math.max(place, Math.round(most * (place / steps) ** 2))
}

function placeOf(merges) {
  let [low, high] = [0, Math.min(most, STEPS)]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (mergesAt(middle) < merges) low = middle + 1
    else high = middle
  }
  return low
}

const width = () => Math.min(Math.max(parseInt(state.width) || 384, 1), 65536)

// One request at a time, and after it the newest place of the slider, so that the text follows the slider as it moves.
let cutting = null
let again = false

function cut() {
  again = cutting !== null
  cutting ??= cutOnce().finally(() => {
    cutting = null
    if (again) return cut()
  })
  return cutting
}

async function cutOnce() {
  const { tokenizer, text } = state
  const found = await ask('size', 'size', { tokenizer, text, width: width(), merges: wanted() })
  if (!found) return
  $('size-said').textContent = number(found.vocab_size)
  $('merges').setAttribute('aria-valuetext', `${several(found.vocab_size, 'token')} in the vocabulary`)
  figures($('size-counts'), [
    [number(found.tokens), found.tokens === 1 ? 'token' : 'tokens'],
    [number(found.characters_per_token, 2), 'characters a token'],
    [number(found.bytes_per_token, 2), 'bytes a token'],
    [number(found.embedding), 'numbers in the embedding table'],
  ])
  here(found.vocab_size)
  note($('size'), found.note)
  show($('size-drawn'), found.html)
  $('size-left').textContent = found.left ? `and ${several(found.left, 'token')} more` : ''
}

// A line in the curve where the slider is; the chart says where its axis begins and ends.
function here(size) {
  const chart = $('size-curve').querySelector('svg')
  if (!chart) return
  chart.querySelector('.here')?.remove()
  const [low, high, left, right] = chart.dataset.across.split(' ').map(Number)
  const x = left + ((Math.log10(size) - low) / Math.max(high - low, 1e-9)) * (right - left)
  const line = document.createElementNS('http://www.w3.org/2000/svg', 'line')
  for (const [name, value] of Object.entries({ class: 'here', x1: x, x2: x, y1: 12, y2: 236 })) line.setAttribute(name, value)
  chart.append(line)
}
