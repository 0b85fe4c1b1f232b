import { useMediaQuery } from '@mantine/hooks'

/** Returns whether the page is as narrow as a phone. Style sheets have the same width, 48em. */
export function useIsPhone(): boolean {
  return useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false })
}
