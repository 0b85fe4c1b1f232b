import { createContext, use, useEffect } from 'react'

interface Leaving {
  readonly setUnsaved: (isUnsaved: boolean) => void
  /** Does what leaves the form, if need be after a question. */
  readonly leave: (go: () => void) => void
}

/** What asks before it lets go of a form; on a page of its own nothing does. */
export const LeavingContext = createContext<Leaving>({ setUnsaved: () => {}, leave: (go) => go() })

/** Tells whether a form has something in it that leaving would lose. */
export function useUnsaved(isUnsaved: boolean): void {
  const { setUnsaved } = use(LeavingContext)
  useEffect(() => {
    setUnsaved(isUnsaved)
    return () => setUnsaved(false)
  }, [isUnsaved, setUnsaved])
}

/** The way out of a form, for its own buttons. */
export function useLeave(): Leaving['leave'] {
  return use(LeavingContext).leave
}
