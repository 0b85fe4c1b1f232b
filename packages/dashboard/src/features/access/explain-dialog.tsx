import { Stack } from '@mantine/core'
import type { Place } from '@rollkey/contract/rules'
import { useMemo, useState } from 'react'
import { Modal } from '../../ui/dialog.tsx'
import { Explanation } from './explanation.tsx'
import { labels } from './labels.ts'
import type { Named } from '../../data/access/matrix.ts'
import { PlaceField } from './place-field.tsx'
import type { Access, NamedPlace } from './use-access.ts'
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
  const all = useMemo(() => places.flatMap(withStages), [places])
  return (
    <Stack>
      <WhoField hint={labels.explain.whoUse} named={named} value={who} onChange={setWho} />
      <PlaceField places={all} place={place} onPlace={setPlace} />
      {who && <Explanation access={access} named={who} place={place} />}
    </Stack>
  )
}

/** Returns a place, and the stages of the project that it is where the page does not have them as places. */
function withStages(place: NamedPlace): readonly NamedPlace[] {
  const { projectSlug, name, stages = [] } = place
  const inProject = stages.map((stage): NamedPlace => {
    const isProtected = stage.isProtected === true
    return { projectSlug, stageSlug: stage.stageSlug, isProtected, name: `${name} / ${stage.name}`, stage }
  })
  return [place, ...inProject]
}
