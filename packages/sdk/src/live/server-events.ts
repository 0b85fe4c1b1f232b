/**
 * Parses server-sent events (HTML standard, section 9.2.6). `EventSource` sends no bearer token. Thirty lines of grammar do
 * not justify the first dependency of a package that reads secrets.
 */

/** A server-sent event. */
export interface ServerEvent {
  readonly type: string
  readonly data: string
}

/** A parser of one stream, fed with its bytes in pieces of any size. */
export class EventParser {
  readonly #decoder = new TextDecoder()
  #line = ''
  #endedInReturn = false
  #type = ''
  #data: string[] = []
  /** The id of the event in progress, or of the last one: an id stays until another one arrives. */
  #nextId: string | undefined
  #id: string | undefined

  /** The last id so far, from which to resume. Undefined: none arrived. */
  get lastId(): string | undefined {
    return this.#id
  }

  /** Returns the events that the bytes complete. Never throws: malformed UTF-8 becomes replacement characters. */
  push(bytes: Uint8Array): ServerEvent[] {
    const text = this.#decoder.decode(bytes, { stream: true })
    if (text === '') return []
    // A piece may begin with the second half of a CRLF.
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
    if (field === 'id' && !value.includes('\0')) this.#nextId = value
    return []
  }

  #dispatch(): ServerEvent[] {
    const event = { type: this.#type || 'message', data: this.#data.join('\n') }
    const hasData = this.#data.length > 0
    this.#type = ''
    this.#data = []
    this.#id = this.#nextId
    return hasData ? [event] : []
  }
}
