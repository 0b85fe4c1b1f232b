import { useLocation, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'

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
