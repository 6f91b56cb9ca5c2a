// Vocabulary: a window of rows over all tokens, moved by a slider, narrowed by a search and a filter.

import { ask } from '../api.js'
import { token } from '../card.js'
import { $, number, show, several, tell } from '../page.js'
import { state } from '../state.js'

export function start(app) {
  for (const id of ['search', 'filter']) $(id).addEventListener('input', () => app.note({ at: '0' }))
  const open = (event) => {
    const row = event.target.closest('tbody tr')
    if (!row || (event.type === 'keydown' && event.key !== 'Enter')) return
    token(Number(row.querySelector('.id').textContent), state.tokenizer)
  }
  $('vocabulary-rows').addEventListener('click', open)
  $('vocabulary-rows').addEventListener('keydown', open)
}

export async function draw() {
  const { tokenizer, search, filter } = state
  const asked = { tokenizer, search, filter, at: Math.min(Math.max(parseInt(state.at) || 0, 0), 2 ** 31) }
  const found = await ask('vocabulary', 'vocabulary', filter === 'unseen' ? { ...asked, text: state.text } : asked)
  if (!found) return
  $('at').max = Math.max(found.total - 1, 0)
  $('at').value = found.at
  const said = found.total ? `${number(found.at + 1)} to ${number(found.at + found.shown)} of ${several(found.total, 'token')}` : 'no token is like that'
  $('at-said').textContent = said
  $('at').setAttribute('aria-valuetext', said)
  show($('vocabulary-rows'), found.html)
  for (const row of $('vocabulary-rows').querySelectorAll('tbody tr')) row.tabIndex = 0
  tell(said)
}
