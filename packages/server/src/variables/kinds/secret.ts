import type { WriteEntry } from '@rollkey/contract'
import type { VariableKind } from './kind.ts'

type SecretEntry = Extract<WriteEntry, { kind: 'secret' }>

export const secret: VariableKind<SecretEntry> = {
  roles: ['value'],
  plaintexts: ({ value }) => [value],
  stated: ([value = '']) => ({ value }),
  attributes: () => ({}),
  choose: () => ({ role: 0 }),
}
