import { Stack } from '@mantine/core'
import type { Place } from '@rollkey/contract/rules'
import { useState } from 'react'
import { Modal } from '../../ui/dialog.tsx'
import { useNow } from '../../ui/time.tsx'
import { Explanation } from './explanation.tsx'
import { labels } from './labels.ts'
import { cellOf, type Named } from '../../data/access/matrix.ts'
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

/** Returns the stages of a project where someone may do something else than in the project, by their names. */
function exceptionsOf({ places, sourcesOf }: Access, who: Named, { projectSlug, stageSlug }: Place, nowMs: number) {
  if (projectSlug === undefined || stageSlug !== undefined) return []
  const sources = sourcesOf(who)
  const around = cellOf(sources, { projectSlug }, nowMs).verbs
  const stages = places.flatMap(({ stage, protectedStages = [], ...place }) =>
    place.projectSlug === projectSlug ? [...(stage ? [stage] : []), ...protectedStages] : [],
  )
  return stages
    .map((stage) => ({
      name: stage.name,
      verbs: cellOf(
        sources,
        { projectSlug, stageSlug: stage.stageSlug, isProtected: stage.isProtected === true },
        nowMs,
      ).verbs,
    }))
    .filter(({ verbs }) => verbs.join() !== around.join())
}

function Explain({ access }: Pick<ExplainDialogProps, 'access'>) {
  const { places, named, groups } = access
  const nowMs = useNow()
  const [who, setWho] = useState<Named>()
  const [place, setPlace] = useState<Place>(places[0] ?? {})
  return (
    <Stack>
      <WhoField hint={labels.explain.whoUse} named={named} value={who} onChange={setWho} />
      <PlaceField places={places} place={place} onPlace={setPlace} elsewhere={labels.explain.placeUse} />
      {who && (
        <Explanation
          principal={who.principal}
          place={place}
          groups={groups}
          exceptions={exceptionsOf(access, who, place, nowMs)}
        />
      )}
    </Stack>
  )
}
