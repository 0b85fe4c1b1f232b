import { useLocation } from '@tanstack/react-router'
import { returnPath } from './return-path.ts'

/** Where this page leads when its work is done. */
export function useReturnPath(): string {
  return useLocation({ select: ({ state }) => returnPath(state.returnTo) })
}
