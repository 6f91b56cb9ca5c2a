// What is looked at: one flat object, written into the address, so that a view can be shared and gone back to.

export const DEFAULTS = {
  tokenizer: '', text: 'The strawberry isn’t a berry; in 2024, 1234567 people 👨‍👩‍👧‍👦 ate one.\nРосток тянется к солнцу.',
  special: false, show: 'tokens', context: '512', beside: '', prices: '',
  lesson: 'the cat sat on the mat. the cat ate the rat. then the rat ran to the hat.', alphabet: 'bytes', cut: 'words', step: '0',
  word: ' the', id: '', search: '', filter: 'merged', at: '0', size: '', width: '384',
  article: '1', language: 'ru', mine: '', corpus: 'en', berry: 'strawberry',
  trainOn: 'en', trainSize: '4096', trainPattern: 'o200k',
}

export const state = { ...DEFAULTS }

const KEYS = {
  read: ['tokenizer', 'text', 'special', 'show', 'context'],
  beside: ['text', 'special', 'beside', 'prices'],
  learn: ['lesson', 'alphabet', 'cut', 'step'],
  tree: ['tokenizer', 'word', 'id'],
  vocabulary: ['tokenizer', 'search', 'filter', 'at'],
  size: ['tokenizer', 'text', 'size', 'width'],
  tax: ['tokenizer', 'article', 'language', 'mine'],
  zipf: ['tokenizer', 'text', 'corpus'],
  letters: ['tokenizer', 'berry'],
  questions: ['tokenizer'],
  train: ['trainOn', 'trainSize', 'trainPattern'],
}
export const VIEWS = Object.keys(KEYS)
const MOST_SHARED = 6000 // characters of a value in the address

// Whether the view that is seen looks at this.
export const uses = (key) => KEYS[view()].includes(key)

export function view() {
  const name = location.hash.slice(1).split('?')[0]
  return VIEWS.includes(name) ? name : 'read'
}

// Takes the state from the address: what is not in it is as it was, unless the link names values. What was too long to
// be in it stays.
export function read() {
  const query = location.hash.split('?')[1]
  if (query === undefined) return
  const given = new URLSearchParams(query)
  for (const key of KEYS[view()]) {
    const stays = key === 'tokenizer' || state[key].length > MOST_SHARED
    const value = given.get(key) ?? (stays ? null : DEFAULTS[key])
    if (value !== null) state[key] = typeof DEFAULTS[key] === 'boolean' ? value === true || value === 'true' : String(value)
  }
}

// Writes it; true if all of it went in.
export function write() {
  const name = view()
  const given = new URLSearchParams()
  let whole = true
  for (const key of KEYS[name]) {
    if (state[key] === DEFAULTS[key]) continue
    const value = String(state[key])
    if (value.length > MOST_SHARED) whole = false
    else given.set(key, value.toWellFormed ? value.toWellFormed() : value)
  }
  const query = given.toString()
  const wanted = `#${name}${query ? `?${query}` : ''}`
  if (location.hash !== wanted) history.replaceState(null, '', wanted)
  return whole
}
