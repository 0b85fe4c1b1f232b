import { Icon } from './icon.tsx'

/** Of what opens downwards. */
export function ChevronIcon() {
  return (
    <Icon>
      <path d="m6 9 6 6 6-6" />
    </Icon>
  )
}
