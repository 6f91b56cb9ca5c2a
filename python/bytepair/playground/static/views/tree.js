// Tree: how the tokens of a word, or the token of an id, were merged.

import { ask } from '../api.js'
import { $, note, several, show, tell } from '../page.js'
import { state } from '../state.js'

export function start(app) {
  $('tree-text').addEventListener('input', () => app.note({ id: '' }))
}

export async function draw() {
  const { tokenizer, word, id } = state
  const wanted = /^\d{1,10}$/.test(id) ? { tokenizer, id: Number(id) } : { tokenizer, text: word }
  const found = await ask('tree', 'tree', wanted)
  if (!found) return
  show($('tree-drawn'), found.html)
  const said = found.note || `${found.content}: ${several(found.tokens, 'token')}`
  note($('tree'), said)
  tell(said)
}
