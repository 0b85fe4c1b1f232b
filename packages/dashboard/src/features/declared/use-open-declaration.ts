import { useNavigate } from '@tanstack/react-router'

/** Returns a function that opens a declaration in the address; without a name, none. */
export function useOpenDeclaration(): (name: string | undefined) => void {
  const navigate = useNavigate({ from: '/o/$orgSlug/p/$projectSlug/declared' })
  return (name) => void navigate({ search: name === undefined ? {} : { name }, replace: true, resetScroll: false })
}
