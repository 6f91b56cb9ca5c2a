// The page: which view is seen, which tokenizer is chosen, and the state in the address.

import { Problem, ask, gone, send, sendFile } from './api.js'
import { forget } from './card.js'
import { $, MOST_OPENED, element, later, number, problem, told } from './page.js'
import { read, state, uses, view, write } from './state.js'

const EXAMPLES = [
  ['English', 'Alice was beginning to get very tired of sitting by her sister on the bank.'],
  ['A rare word', 'antidisestablishmentarianism, floccinaucinihilipilification'],
  ['Numbers', 'In 1865: 3.14159, 1,000,000 and 20%; 7, 42, 123, 1234, 12345.'],
  ['Python', 'def tea(cups):\n    for cup in cups:\n        if cup.empty:\n            return None\n\treturn cups\n'],
  ['Russian', 'Жили-были старик со старухой. Была у них курочка.'],
  ['Turkish', 'Günaydın, küçük kırmızı çiçek! Çekoslovakyalılaştıramadıklarımızdan mısınız?'],
  ['Arabic', 'مرحبا بالعالم. يولد جميع الناس أحرارًا متساوين في الكرامة والحقوق.'],
  ['Japanese', '吾輩は猫である。名前はまだ無い。'],
  ['Families of emoji', '🌱 👨‍👩‍👧‍👦 👍🏽 🏳️‍🌈 🇯🇵'],
  ['Special tokens', '<|user|>How many letters has strawberry?<|assistant|>Ten.<|endoftext|>'],
]
const WITH_CARD = new Set(['read', 'beside', 'vocabulary', 'size', 'tax', 'letters', 'questions'])
const WITH_TEXT = new Set(['read', 'beside', 'size'])
const TYPED = 90 // milliseconds without a key before an answer is asked for

const MOST_PASTED = 2 ** 20 // characters; more makes the field itself slow

let missing = null
let described = null // the tokenizer that is described
let drawing = 0 // how many times a view was drawn, or is about to be
const modules = new Map()
const app = { tokenizers: [], set, note, list }

// Changes the state and draws; `note` changes it only.
function set(changes) {
  note(changes)
  return draw()
}

function note(changes) {
  Object.assign(state, changes)
  fill()
  address()
}

function address() {
  $('unshared').hidden = write()
}

// Writes the state into everything that shows a part of it.
function fill() {
  for (const node of document.querySelectorAll('[data-key]')) {
    const value = state[node.dataset.key]
    if (node.type === 'checkbox') node.checked = value
    else if (node.type === 'radio') node.checked = node.value === value
    else if (node.value !== value) node.value = value
  }
}

async function draw() {
  const name = view()
  const mine = busy()
  try {
    const module = await prepared(name)
    if (name !== view()) return
    await module.draw()
    problem(missing, 'view')
    missing = null
    await describe()
  } catch (error) {
    if (error.status === 404 && (await another().catch(() => false))) return draw()
    if (name === view()) problem(error, 'view')
  } finally {
    if (mine === drawing) $('main').setAttribute('aria-busy', 'false')
  }
}

// Whether another tokenizer is chosen now, since the one that was has gone.
async function another() {
  const before = state.tokenizer
  await list()
  return state.tokenizer !== before
}

// What the chosen tokenizer is, and what was warned of when it was read or trained.
async function describe() {
  const { tokenizer } = state
  $('about').hidden = !uses('tokenizer')
  if (described === tokenizer || !uses('tokenizer')) return
  const found = await ask('about', 'about', { tokenizer })
  if (!found) return
  described = tokenizer
  const warnings = found.warnings.map((one) => element('p', { className: 'warning', textContent: told(one) }))
  $('about').replaceChildren(element('p', { className: 'note', textContent: `${tokenizer}: ${found.about}` }), ...warnings)
}

// The page is busy from the key that changes it to the picture of the newest change.
function busy() {
  $('main').setAttribute('aria-busy', 'true')
  return ++drawing
}

function soon() {
  busy()
  drawSoon()
}
const drawSoon = later(draw, TYPED)

// What a view needs. Until it is there nothing takes a key or a click, so that none is lost.
async function prepared(name) {
  try {
    if (!isHere()) await list() // not yet asked for, or trained in another tab since
    return await load(name)
  } finally {
    for (const part of document.querySelectorAll('header, main')) part.inert = false
  }
}

async function load(name) {
  if (!modules.has(name)) {
    const module = await import(`./views/${name}.js`).catch((error) => {
      throw error instanceof TypeError ? gone() : error
    })
    if (!modules.has(name)) {
      modules.set(name, module)
      module.start(app)
      $(name).inert = false
    }
  }
  return modules.get(name)
}

function turn() {
  read()
  const name = view()
  modules.get('learn')?.stop()
  if (WITH_CARD.has(name)) $('main').dataset.card = ''
  else delete $('main').dataset.card
  forget()
  problem(null)
  for (const section of document.querySelectorAll('[data-view]')) {
    section.hidden = section.id !== name
    section.inert = !modules.has(section.id)
  }
  $('text-panel').hidden = !(WITH_TEXT.has(name) || (name === 'zipf' && !state.corpus))
  for (const link of document.querySelectorAll('nav a')) {
    if (link.hash === `#${name}`) {
      link.setAttribute('aria-current', 'page')
      link.scrollIntoView({ block: 'nearest', inline: 'nearest' })
      document.title = `${link.textContent} · bytepair playground`
    } else link.removeAttribute('aria-current')
  }
  if (app.tokenizers.length) address()
  fill()
  draw()
}

async function list() {
  const found = await send('tokenizers', { method: 'GET' })
  app.tokenizers = found.tokenizers
  const kinds = { file: 'Your files', 'made here': 'Come with bytepair', trained: 'Of this session', found: 'Found on this machine' }
  const groups = Object.entries(kinds).map(([kind, label]) => {
    const mine = found.tokenizers.filter((one) => one.kind === kind)
    return element('optgroup', { label }, ...mine.map((one) => element('option', { value: one.name, textContent: one.name, title: one.about })))
  })
  $('tokenizer').replaceChildren(...groups.filter((group) => group.children.length))
  choose()
  fill()
  address()
}

const isHere = () => app.tokenizers.some((one) => one.name === state.tokenizer)

// A link may name a tokenizer that is not here: then it is the first one, and that is said.
function choose() {
  if (isHere()) return
  const [first] = app.tokenizers
  if (state.tokenizer) missing = { message: `there is no tokenizer “${state.tokenizer}” here`, hint: `“${first.name}” is used instead` }
  state.tokenizer = first.name
}

function changed(event) {
  const node = event.target
  const key = node.dataset?.key
  if (!key || (node.type === 'radio' && !node.checked)) return
  if ($('problem').dataset.of === 'action') problem(null)
  state[key] = node.type === 'checkbox' ? node.checked : node.value
  if (key === 'corpus') $('text-panel').hidden = view() !== 'zipf' || Boolean(state.corpus)
  if (key === 'tokenizer') {
    forget()
    note({ at: '0', size: '', id: '' })
  }
  addressSoon()
  soon()
}
// A field with millions of characters stops every browser, so what cannot be read is not let in, pasted or dropped.
function entering(event) {
  const size = event.data?.length ?? 0
  if (size <= MOST_PASTED) return
  event.preventDefault()
  problem({
    message: `the text has ${size.toLocaleString('en')} characters, and at most ${MOST_PASTED.toLocaleString('en')} are read here`,
    hint: 'take a part of it; on the command line there is no limit: `bytepair count -f FILE`',
  })
}
const addressSoon = later(address, 300)

async function open(file) {
  try {
    if (file.size > MOST_OPENED) {
      throw new Problem(`“${file.name}” has ${number(file.size)} bytes, and at most ${number(MOST_OPENED)} are read here`, 'start the playground with it: `bytepair play FILE`')
    }
    const found = await sendFile('tokenizers/file', file)
    await list()
    await set({ tokenizer: found.name })
  } catch (error) {
    problem(error)
  }
}

function colours(name) {
  const names = ['system', 'light', 'dark']
  const chosen = names.includes(name) ? name : 'system'
  if (chosen === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = chosen
  $('theme').textContent = { system: '◐', light: '☀', dark: '☾' }[chosen]
  $('theme').setAttribute('aria-label', `Colours: ${chosen === 'system' ? 'as the system' : chosen}`)
  $('theme').onclick = () => {
    const next = names[(names.indexOf(chosen) + 1) % names.length]
    try {
      localStorage.setItem('colours', next)
    } catch {
      // A browser that keeps nothing forgets it.
    }
    colours(next)
  }
}

function stored() {
  try {
    return localStorage.getItem('colours')
  } catch {
    return null
  }
}

function begin() {
  colours(stored())
  for (const [name, text] of EXAMPLES) $('examples').append(element('option', { value: text, textContent: name }))
  $('examples').addEventListener('change', () => {
    const text = $('examples').value
    if (text) set({ text, special: text.includes('<|') })
    $('examples').value = ''
  })
  document.addEventListener('input', changed, true) // before the views hear of it
  document.addEventListener('beforeinput', entering)
  document.querySelector('nav').addEventListener('click', address) // what was typed just now stays in the history
  window.addEventListener('hashchange', turn)
  $('open').addEventListener('click', () => $('opened').click())
  $('opened').addEventListener('change', () => {
    const [file] = $('opened').files
    $('opened').value = ''
    if (file) open(file)
  })
  turn()
}

begin()
