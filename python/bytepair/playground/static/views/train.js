// Train: on files that are dropped, on the text of the page, or on one that comes with bytepair.

import { Problem, send, sendFile } from '../api.js'
import { $, MOST_UPLOAD, element, number, problem, told } from '../page.js'
import { state } from '../state.js'

const BEAT = 250 // milliseconds between two questions how far it is
let app
let chosen = []
let job = null
let stopping = false

export function start(given) {
  app = given
  for (const option of $('corpus').options) {
    $('train-corpus').append(element('option', { value: option.value, textContent: option.value ? option.textContent : 'the text of the page Read' }))
  }
  $('train-corpus').value = state.trainOn
  $('pick').addEventListener('click', () => $('picked').click())
  $('picked').addEventListener('change', picked)
  picked() // a browser may have kept them when the page was loaded again
  const drop = $('drop')
  drop.addEventListener('dragover', (event) => {
    event.preventDefault()
    drop.classList.add('over')
  })
  drop.addEventListener('dragleave', () => drop.classList.remove('over'))
  drop.addEventListener('drop', (event) => {
    event.preventDefault()
    drop.classList.remove('over')
    add(event.dataTransfer.files)
  })
  $('train-start').addEventListener('click', () => train().catch(failed))
  $('train-cancel').addEventListener('click', () => cancel().catch(problem))
  $('train-use').addEventListener('click', () => app.note({ tokenizer: $('train-use').dataset.name }))
}

export async function draw() {}

// A file that was taken away can be picked again.
function picked() {
  add($('picked').files)
  $('picked').value = ''
}

function add(files) {
  chosen = [...chosen, ...files]
  list()
}

function list() {
  $('files').replaceChildren(
    ...chosen.map((file, at) => {
      const away = element('button', { type: 'button', textContent: '×' })
      away.setAttribute('aria-label', `Take ${file.name} away`)
      away.addEventListener('click', () => {
        chosen.splice(at, 1)
        list()
      })
      return element('li', {}, `${file.name}, ${number(file.size)} bytes `, away)
    }),
  )
}

async function train() {
  problem(null)
  busy(true)
  stopping = false
  job = null
  $('train-done').hidden = true
  $('train-merges').replaceChildren()
  said('The files are sent …')
  if (chosen.reduce((sum, file) => sum + file.size, 0) > MOST_UPLOAD) {
    throw new Problem(`all files together have more than ${number(MOST_UPLOAD)} bytes`, 'train on large files with `bytepair train`')
  }
  const files = []
  try {
    for (const file of chosen) {
      files.push((await sendFile('files', file)).file)
      if (stopping) break
    }
    if (!stopping) job = (await begin(files)).job
  } finally {
    if (job === null) for (const file of files) await send(`files/${file}`, { method: 'DELETE' }) // no training takes them
  }
  if (job === null) return over({ state: 'cancelled' })
  if (stopping) await cancel()
  await follow()
}

function begin(files) {
  const corpus = files.length ? '' : state.trainOn
  const settings = { vocab_size: parseInt(state.trainSize) || 0, pattern: state.trainPattern, files, corpus }
  const body = JSON.stringify(files.length || corpus ? settings : { ...settings, text: state.text })
  return send('train', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
}

// While files are sent there is no training yet: it is stopped as soon as there is one.
async function cancel() {
  stopping = true
  said('It is being cancelled …')
  if (job !== null) await send(`train/${job}`, { method: 'DELETE' })
}

async function follow() {
  for (;;) {
    const found = await send(`train/${job}`, { method: 'GET' })
    shown(found)
    if (found.state !== 'running') return over(found)
    await new Promise((resolve) => setTimeout(resolve, BEAT))
  }
}

function shown(found) {
  const progress = $('train-progress')
  if (found.total && found.phase === 'merge') progress.value = found.done / found.total
  else progress.removeAttribute('value')
  if (found.phase && !stopping) {
    const what = found.phase === 'merge' ? `${number(found.done)} of ${number(found.total)} merges` : 'The text is counted'
    said(`${what}, ${number(found.seconds, 1)} s`)
  }
  $('train-merges').replaceChildren(
    ...found.last.toReversed().map((one) => element('li', {}, `${one.left} + ${one.right} → `, element('b', { textContent: one.token }), `  ${number(one.count)}`)),
  )
}

async function over(found) {
  busy(false)
  job = null
  if (found.state !== 'done') {
    said(found.state === 'cancelled' ? 'The training was cancelled.' : '')
    if (found.state === 'failed') problem({ message: found.error, hint: found.hint })
    return
  }
  chosen = []
  list()
  await app.list()
  const warnings = found.warnings.map((one) => ` ${told(one)}`).join('')
  said(`Done in ${number(found.seconds, 1)} s: “${found.tokenizer}” is among the tokenizers.${warnings}`)
  app.note({ tokenizer: found.tokenizer })
  $('train-use').dataset.name = found.tokenizer
  $('train-download').href = `/api/tokenizers/${encodeURIComponent(found.tokenizer)}/tokenizer.json`
  $('train-done').hidden = false
}

function failed(error) {
  busy(false)
  said('')
  problem(error)
}

function busy(is) {
  $('train-start').disabled = is
  $('train-cancel').hidden = !is
  $('train-progress').hidden = !is
}

function said(text) {
  $('train-said').textContent = text
}
