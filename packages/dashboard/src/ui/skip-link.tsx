import { Anchor } from '@mantine/core'
import { focusHeading } from './focus-heading.ts'

export const mainId = 'main'

/** For those who use the keyboard: past the navigation. It leaves the address alone, where fragments mean something. */
export function SkipLink() {
  return (
    <Anchor
      className="skip-link"
      href={`#${mainId}`}
      onClick={(event) => {
        event.preventDefault()
        focusHeading()
      }}
    >
      Skip to content
    </Anchor>
  )
}
