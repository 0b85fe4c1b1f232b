import { Icon } from './icon.tsx'

/** The mark of the product. */
export function KeyIcon() {
  return (
    <Icon>
      <circle cx="8" cy="12" r="5" />
      <path d="M13 12h9m-4 0v4" />
    </Icon>
  )
}
