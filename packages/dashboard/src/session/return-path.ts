import { useLocation, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'

/** The path to return to after a sign-in. */

/** Printable ASCII after one slash: a second slash or a backslash would name another host. */
const internalPath = /^\/(?![/\\])[\u0021-\u007e]*$/

/** Returns the path if it belongs to this application, otherwise the start page. */
export function returnPath(path: unknown): string {
  return typeof path === 'string' && internalPath.test(path) ? path : '/'
}

/** Returns the path to open when the page's task is done. */
export function useReturnPath(): string {
  return useLocation({ select: ({ state }) => returnPath(state.returnTo) })
}

/**
 * Returns parameters of a link's fragment. They stay in memory, and the fragment leaves the address and the history at once. A
 * fragment without any of them is for another page, which is about to open.
 */
export function useLinkParameters<Name extends string>(
  ...names: readonly Name[]
): Readonly<Partial<Record<Name, string>>> {
  const fragment = useLocation({
    select: ({ hash }) => {
      const parameters = new URLSearchParams(hash)
      return names.some((name) => parameters.has(name)) ? hash : ''
    },
  })
  const [taken, setTaken] = useState(fragment)
  // Another link may be opened in the same tab.
  if (fragment !== '' && fragment !== taken) setTaken(fragment)
  const navigate = useNavigate()
  useEffect(() => {
    if (fragment !== '') void navigate({ to: '.', hash: '', state: true, replace: true })
  }, [fragment, navigate])
  return Object.fromEntries(new URLSearchParams(taken)) as Partial<Record<Name, string>>
}

/** The code of the login on the page. It is in memory, so that it survives a new sign-in. */
let current: string | undefined

export function rememberUserCode(userCode: string | undefined): void {
  current = userCode
}

export function rememberedUserCode(): string | undefined {
  return current
}
