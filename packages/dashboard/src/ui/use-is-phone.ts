import { useMediaQuery } from '@mantine/hooks'

/** Returns whether the page is narrower than a tablet. Style sheets have the same width, 48em. */
export function useIsPhone(): boolean {
  return useMediaQuery('(width < 48em)', undefined, { getInitialValueInEffect: false })
}
