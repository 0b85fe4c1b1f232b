/** The text of an answer. Throws if it is longer than `maxBytes`, and reads no further then. */
export async function boundedText({ body }: Pick<Response, 'body'>, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.length
    if (length > maxBytes) throw new BodyTooLong(`an answer of more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

export class BodyTooLong extends Error {
  override readonly name = 'BodyTooLong'
}

const withoutBody = new Set([101, 204, 205, 304])

/** `fetch` that holds the whole answer before it returns it, and throws if that is longer than `maxBytes`. */
export function boundedFetch(maxBytes: number): (url: string, init: RequestInit) => Promise<Response> {
  return async (url, init) => {
    const response = await fetch(url, init)
    const { status, headers } = response
    const text = await boundedText(response, maxBytes)
    return new Response(withoutBody.has(status) ? null : text, { status, headers })
  }
}
