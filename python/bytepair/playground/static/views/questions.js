// Questions: asked of the tokenizer that is chosen, answered by it.

import { ask } from '../api.js'
import { watch } from '../card.js'
import { $, element, show } from '../page.js'
import { state } from '../state.js'

export function start() {
  watch($('questions-list'))
}

export async function draw() {
  const found = await ask('questions', 'questions', { tokenizer: state.tokenizer })
  if (!found) return
  $('questions-list').replaceChildren(
    ...found.questions.map((one) => {
      const rows = one.rows.map((row) => {
        const drawn = element('div', { className: 'drawn' })
        show(drawn, row.html)
        return element('div', { className: 'answer' }, drawn, element('p', { className: 'note', textContent: row.said }))
      })
      return element('div', { className: 'question' }, element('h3', { textContent: one.question }), element('p', { textContent: one.why }), ...rows, element('p', { className: 'strong', textContent: one.answer }))
    }),
  )
}
