import { VisuallyHidden } from '@mantine/core'
import { IconClient, IconPlain, IconRoll, IconSecret } from './icons.ts'
import classes from './kind-icon.module.css'

const kinds = {
  secret: { Icon: IconSecret, name: 'Secret' },
  plain: { Icon: IconPlain, name: 'Plain' },
  client: { Icon: IconClient, name: 'Client' },
  ab_roll: { Icon: IconRoll, name: 'A/B roll' },
} as const

interface KindIconProps {
  readonly kind: keyof typeof kinds
}

/** What kind of variable a name belongs to. */
export function KindIcon({ kind }: KindIconProps) {
  const { Icon, name } = kinds[kind]
  return (
    <span className={classes['kind']} title={name}>
      <Icon />
      <VisuallyHidden>{name}</VisuallyHidden>
    </span>
  )
}
