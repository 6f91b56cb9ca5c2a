// Zipf: the tokens of a text by rank.

import { ask } from '../api.js'
import { $, figures, note, number, show } from '../page.js'
import { state } from '../state.js'

export function start() {}

export async function draw() {
  const { tokenizer, text, corpus } = state
  $('zipf').classList.add('stale')
  const found = await ask('zipf', 'zipf', corpus ? { tokenizer, corpus } : { tokenizer, text })
  if (!found) return
  $('zipf').classList.remove('stale')
  figures($('zipf-counts'), [
    [number(found.tokens), 'tokens'],
    [number(found.in_use), 'different ones'],
    ['slope', number(found.slope, 2)],
  ])
  note($('zipf'), found.note)
  show($('zipf-curve'), found.html || '<p class="note">There is too little text for a curve.</p>')
  show($('zipf-table'), found.table)
}
