// Requests. Of one channel only the newest counts: what was asked before it is given up, and answers with null.

const running = new Map()

export class Problem extends Error {
  constructor(what, hint, status = 0) {
    super(what)
    this.hint = hint
    this.status = status
  }
}

export const gone = () => new Problem('the playground does not answer', 'is `bytepair play` still running?')

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
    throw gone()
  }
  const found = await answer.json().catch(() => ({ error: `the answer has the status ${answer.status}`, hint: '' }))
  if (!answer.ok) throw new Problem(found.error ?? 'something went wrong', found.hint ?? '', answer.status)
  return found
}

// A folder that was dropped looks like a file, and one that was changed since cannot be read: that is no fault of the server's.
export async function sendFile(path, file) {
  try {
    await file.slice(0, 1).arrayBuffer()
  } catch {
    throw new Problem(`“${file.name}” cannot be read`, 'is it a folder, or was it changed since it was chosen? Choose it again')
  }
  return send(path, { method: 'POST', body: file })
}
