import { Stack } from '@mantine/core'
import type { Place } from '@rollkey/contract/rules'
import { useState } from 'react'
import { Modal } from '../../ui/dialog.tsx'
import { Explanation } from './explanation.tsx'
import { labels } from './labels.ts'
import type { Named } from '../../data/access/matrix.ts'
import { PlaceField } from './place-field.tsx'
import type { Access } from './use-access.ts'
import { WhoField } from './who-field.tsx'

interface ExplainDialogProps {
  readonly access: Access
  readonly opened: boolean
  readonly onClose: () => void
}

/** Explains which grant gives someone which verb at a place. */
export function ExplainDialog({ access, opened, onClose }: ExplainDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={labels.explain.title}>
      <Explain access={access} />
    </Modal>
  )
}

function Explain({ access }: Pick<ExplainDialogProps, 'access'>) {
  const { places, named } = access
  const [who, setWho] = useState<Named>()
  const [place, setPlace] = useState<Place>(places[0] ?? {})
  return (
    <Stack>
      <WhoField hint={labels.explain.whoUse} named={named} value={who} onChange={setWho} />
      <PlaceField places={places} place={place} onPlace={setPlace} elsewhere={labels.explain.placeUse} />
      {who && <Explanation access={access} named={who} place={place} />}
    </Stack>
  )
}
