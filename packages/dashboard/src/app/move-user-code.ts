import { redirect } from '@tanstack/react-router'

interface Visit {
  readonly location: { readonly searchStr: string }
}

/** A code in the query, which logs and the history show, moves into the fragment, which the page takes. */
export function moveUserCode({ location: { searchStr } }: Visit): void {
  const userCode = new URLSearchParams(searchStr).get('user_code')
  if (userCode === null) return
  throw redirect({
    to: '/device',
    search: {},
    hash: new URLSearchParams({ user_code: userCode }).toString(),
    replace: true,
  })
}
