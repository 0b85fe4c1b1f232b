import { useLocation, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'

/** Where a sign-in leads back to. */

/** Printable ASCII after one slash: a second slash or a backslash would name another host. */
const internalPath = /^\/(?![/\\])[\u0021-\u007e]*$/

/** The path if it is one of this application, else the start page. */
export function returnPath(path: unknown): string {
  return typeof path === 'string' && internalPath.test(path) ? path : '/'
}

/** Where this page leads when its work is done. */
export function useReturnPath(): string {
  return useLocation({ select: ({ state }) => returnPath(state.returnTo) })
}

/** A parameter of a link's fragment. It is kept in memory; the fragment leaves the address and the history at once. */
export function useLinkParameter(name: string): string | undefined {
  const fragment = useLocation({ select: ({ hash }) => hash })
  const [taken, setTaken] = useState(fragment)
  // Another link may be opened in the same tab.
  if (fragment !== '' && fragment !== taken) setTaken(fragment)
  const navigate = useNavigate()
  useEffect(() => {
    if (fragment !== '') void navigate({ to: '.', hash: '', replace: true })
  }, [fragment, navigate])
  return new URLSearchParams(taken).get(name) ?? undefined
}

/** The code of the login that is being looked at, in memory: should the sign-in be over, it is there after the next. */
let current: string | undefined

export function rememberUserCode(userCode: string | undefined): void {
  current = userCode
}

export function rememberedUserCode(): string | undefined {
  return current
}
