// Tax: the same article in 75 languages, as bars, with a text of one's own among them.

import { ask } from '../api.js'
import { watch } from '../card.js'
import { $, element, show, tell } from '../page.js'
import { state } from '../state.js'

export function start(app) {
  for (let article = 1; article <= 30; article++) $('article').append(element('option', { value: article, textContent: `article ${article}` }))
  $('article').value = state.article
  $('tax-table').addEventListener('click', (event) => {
    const language = event.target.closest('[data-language]')?.dataset.language
    if (language) app.set({ language })
  })
  watch($('tax-drawn'))
}

export async function draw() {
  const { tokenizer, language, mine } = state
  const found = await ask('tax', 'tax', { tokenizer, article: parseInt(state.article) || 0, language, text: mine })
  if (!found) return
  const focused = document.activeElement?.dataset?.language
  show($('tax-table'), found.html)
  for (const button of $('tax-table').querySelectorAll('[data-language]')) {
    button.setAttribute('aria-pressed', String(button.dataset.language === found.language))
    if (button.dataset.language === focused) button.focus()
  }
  $('tax-name').textContent = found.name
  show($('tax-drawn'), found.text)
  $('tax-drawn').lang = found.language
  $('tax-source').textContent = found.source
  const row = found.rows.find((one) => one.language === found.language)
  tell(`${found.name}: ${row.tokens} tokens, English: ${found.english}`)
}
