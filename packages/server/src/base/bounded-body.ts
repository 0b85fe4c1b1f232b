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
