// Requests. Of one channel only the newest counts: what was asked before it is given up, and answers with null.

const running = new Map()

export class Problem extends Error {
  constructor(what, hint) {
    super(what)
    this.hint = hint
  }
}

export async function ask(channel, path, body, method = 'POST') {
  running.get(channel)?.abort()
  const control = new AbortController()
  running.set(channel, control)
  try {
    return await send(path, {
      method,
      signal: control.signal,
      headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
  } catch (error) {
    if (error.name === 'AbortError') return null
    throw error
  } finally {
    if (running.get(channel) === control) running.delete(channel)
  }
}

export async function send(path, options) {
  let answer
  try {
    answer = await fetch(`/api/${path}`, options)
  } catch (error) {
    if (error.name === 'AbortError') throw error
    throw new Problem('the playground does not answer', 'is `bytepair play` still running?')
  }
  const found = await answer.json().catch(() => ({ error: `the answer has the status ${answer.status}`, hint: '' }))
  if (!answer.ok) throw new Problem(found.error ?? 'something went wrong', found.hint ?? '')
  return found
}
