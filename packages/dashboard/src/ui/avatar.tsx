import { Avatar as Initials } from '@mantine/core'
import type { Icon } from './icons.ts'

const colors = ['verdigris', 'violet', 'yellow', 'red', 'gray']

interface AvatarProps {
  readonly name: string
  /** Shown in place of the initials, for machines. */
  readonly icon?: Icon
  /**
   * In CSS pixels.
   * @default 24
   */
  readonly size?: number
}

/** The initials of a person in a color that stays the same; their name stands beside it. Blue and orange belong to A and B. */
export function Avatar({ name, icon: Art, size = 24 }: AvatarProps) {
  return (
    <Initials name={name} color={Art ? 'gray' : 'initials'} allowedInitialsColors={colors} size={size} aria-hidden>
      {Art && <Art size={Math.round(size * 0.6)} />}
    </Initials>
  )
}
