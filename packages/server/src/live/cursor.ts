/**
 * The cursor of a subscriber: the revisions that it has received, by stage slug. Its text is `dev:12,prod:7`. With `prod!:3` it says of
 * how many moves of the proposed changes of prod the subscriber knows.
 */
import { ApiError } from '../base/api-error.ts'

export type Cursor = Map<string, number>

const part = /^([A-Za-z0-9][A-Za-z0-9._-]{0,63}!?):(\d{1,15})$/

/** Parses the text of a cursor. Throws INVALID_REQUEST. */
export function parseCursor(text: string): Cursor {
  const parts = text === '' ? [] : text.split(',')
  return new Map(
    parts.map((each) => {
      const [, slug, revision] = part.exec(each) ?? []
      if (slug === undefined) {
        throw new ApiError(
          'INVALID_REQUEST',
          'Invalid since or Last-Event-ID header (expected stages with revisions, such as "dev:12,prod:7").',
        )
      }
      return [slug, Number(revision)]
    }),
  )
}

export function cursorText(cursor: Cursor): string {
  return [...cursor].map(([slug, revision]) => `${slug}:${revision}`).join(',')
}
