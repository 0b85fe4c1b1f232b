/** Returns the text of a response. Stops reading and throws if it is longer than `maxBytes`. */
export async function boundedText({ body }: Pick<Response, 'body'>, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.length
    if (length > maxBytes) throw new BodyTooLong(`the response has more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

export class BodyTooLong extends Error {
  override readonly name = 'BodyTooLong'
}

/** Statuses whose responses have no body: the constructor of Response refuses one. */
const withoutBody = new Set([101, 204, 205, 304])

/** Returns a `fetch` that buffers the whole response, and throws if it is longer than `maxBytes`. */
export function boundedFetch(maxBytes: number): (url: string, init: RequestInit) => Promise<Response> {
  return async (url, init) => {
    const response = await fetch(url, init)
    const { status, headers } = response
    const text = await boundedText(response, maxBytes)
    return new Response(withoutBody.has(status) ? null : text, { status, headers })
  }
}
