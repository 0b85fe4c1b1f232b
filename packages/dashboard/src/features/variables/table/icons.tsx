import { Icon } from '../../../ui/icon.tsx'
import type { CellState } from '../comparison.ts'
import type { ShownKind } from '../shown-kind.ts'

const kindPaths: Readonly<Record<ShownKind, string>> = {
  secret: 'M6 11h12v9h-12z M8 11v-4a4 4 0 0 1 8 0v4',
  plain: 'M10 12a2 2 0 1 0 4 0a2 2 0 0 0 -4 0 M21 12c-2.4 4 -5.4 6 -9 6s-6.6 -2 -9 -6c2.4 -4 5.4 -6 9 -6s6.6 2 9 6',
  ab_roll: 'M5 4v4l7 6v6 M19 4v4l-7 6',
}

export function KindIcon({ kind }: { readonly kind: ShownKind }) {
  return (
    <Icon>
      <path d={kindPaths[kind]} />
    </Icon>
  )
}

const paths: Readonly<Record<CellState, string>> = {
  set: 'M12 12h.01',
  same: 'M5 10h14 M5 14h14',
  different: 'M5 10h14 M5 14h14 M5 19l14 -14',
  missing: 'M6 12h12',
  unopened: 'M18 6l-12 12 M6 6l12 12',
}

export function StateIcon({ state }: { readonly state: CellState; readonly isLoud: boolean }) {
  return (
    <Icon>
      <path d={paths[state]} />
    </Icon>
  )
}
