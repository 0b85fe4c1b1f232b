/** What a watcher has seen: the revisions of stages by their slugs, as a text such as `dev:12,prod:7`. */
import { ApiError } from '../../base/api-error.ts'

export type Cursor = Map<string, number>

const part = /^([A-Za-z0-9][A-Za-z0-9._-]{0,63}):(\d{1,15})$/

/** Throws INVALID_REQUEST. */
export function parseCursor(text: string): Cursor {
  const parts = text === '' ? [] : text.split(',')
  return new Map(
    parts.map((each) => {
      const [, slug, revision] = part.exec(each) ?? []
      if (slug === undefined) {
        throw new ApiError('INVALID_REQUEST', 'since, or the Last-Event-ID header, must be like "dev:12,prod:7".')
      }
      return [slug, Number(revision)]
    }),
  )
}

export function cursorText(seen: Cursor): string {
  return [...seen].map(([slug, revision]) => `${slug}:${revision}`).join(',')
}
