// Learn: one merge a click, or played; every state comes from the server, which has trained so far.

import { ask } from '../api.js'
import { $, figures, number, show } from '../page.js'
import { state } from '../state.js'

const BEAT = 900 // milliseconds a merge, when played
let app
let playing = null
let last = true

export function start(given) {
  app = given
  $('learn-first').addEventListener('click', () => go(0))
  $('learn-back').addEventListener('click', () => go(step() - 1))
  $('learn-next').addEventListener('click', () => go(step() + 1))
  $('learn-play').addEventListener('click', () => (playing ? stop() : play()))
  for (const id of ['learn-text', 'learn-cut', 'learn-alphabet']) {
    $(id).addEventListener('input', () => {
      stop()
      app.note({ step: '0' })
    })
  }
}

const step = () => Math.max(parseInt(state.step) || 0, 0)

function go(to) {
  stop()
  app.set({ step: String(Math.max(to, 0)) })
}

export function stop() {
  clearInterval(playing)
  playing = null
  $('learn-play').textContent = 'Play'
  $('learn-play').setAttribute('aria-pressed', 'false')
}

function play() {
  $('learn-play').textContent = 'Pause'
  $('learn-play').setAttribute('aria-pressed', 'true')
  playing = setInterval(() => {
    if (last) return stop()
    app.set({ step: String(step() + 1) })
  }, BEAT)
}

export async function draw() {
  const { lesson, alphabet, cut } = state
  $('learn-cut').disabled = alphabet === 'characters'
  const found = await ask('learn', 'learn', { text: lesson, alphabet, cut, merges: Math.min(step(), 400) })
  if (!found) return
  last = found.last
  if (found.merges !== step()) app.note({ step: String(found.merges) })
  $('learn-why').textContent = found.why
  figures($('learn-counts'), [
    [number(found.merges), found.merges === 1 ? 'merge' : 'merges'],
    [number(found.tokens), 'tokens in the text'],
    [number(found.vocabulary), 'tokens in the vocabulary'],
  ])
  show($('learn-drawn'), found.text)
  show($('learn-pairs'), found.pairs)
  show($('learn-learned'), found.learned || '<p class="note">none yet</p>')
  $('learn-pairs-count').textContent = found.pair_count ? `${number(found.pair_count)} different ones` : ''
  $('learn-first').disabled = $('learn-back').disabled = found.merges === 0
  $('learn-next').disabled = $('learn-play').disabled = found.last
  if (found.last) stop()
}
