/** Server-sent events as the HTML standard reads them (section 9.2.6). `EventSource` itself can send no bearer. */
export interface ServerEvent {
  readonly type: string
  readonly data: string
  /** The last id up to this event, which is where to go on from. */
  readonly id: string
}

/** The events of a body: those of each chunk together, so that what came at once can be told at once. */
export async function* readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<readonly ServerEvent[], void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  const parser = new Parser()
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) yield parser.push(chunk.value)
  } finally {
    // What made the reading fail is thrown already; this only lets go of the connection.
    await reader.cancel().catch(() => {})
  }
}

class Parser {
  #line = ''
  #endedInReturn = false
  #type = ''
  #data: string[] = []
  #id = ''

  push(text: string): ServerEvent[] {
    // A chunk may begin with the second half of a CRLF.
    const lines = (this.#line + (this.#endedInReturn ? text.replace(/^\n/, '') : text)).split(/\r\n|\r|\n/)
    this.#endedInReturn = text.endsWith('\r')
    this.#line = lines.pop() ?? ''
    return lines.flatMap((line) => this.#read(line))
  }

  #read(line: string): ServerEvent[] {
    if (line === '') return this.#dispatch()
    const [field = ''] = line.split(':', 1)
    const value = line.slice(field.length + 1).replace(/^ /, '')
    if (field === 'event') this.#type = value
    if (field === 'data') this.#data.push(value)
    if (field === 'id' && !value.includes('\0')) this.#id = value
    return []
  }

  #dispatch(): ServerEvent[] {
    const event = { type: this.#type || 'message', data: this.#data.join('\n'), id: this.#id }
    const hasData = this.#data.length > 0
    this.#type = ''
    this.#data = []
    return hasData ? [event] : []
  }
}
