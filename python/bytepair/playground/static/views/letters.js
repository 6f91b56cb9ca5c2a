// Strawberry: which letters of a word a model can see.

import { ask } from '../api.js'
import { watch } from '../card.js'
import { $, note, show, several, tell } from '../page.js'
import { state } from '../state.js'

export function start() {
  watch($('letters-drawn'))
}

export async function draw() {
  const found = await ask('letters', 'letters', { tokenizer: state.tokenizer, text: state.berry })
  if (!found) return
  show($('letters-drawn'), found.html)
  show($('letters-table'), found.table)
  note($('letters'), found.note)
  tell(several(found.tokens.length, 'token'))
}
