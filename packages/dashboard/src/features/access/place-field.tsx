import { NativeSelect } from '@mantine/core'
import type { Place } from '@rollkey/contract/rules'
import type { ReactNode } from 'react'
import { labels } from './labels.ts'
import type { NamedPlace } from './use-access.ts'
import { placeName } from '../../data/projects/labels.ts'

interface PlaceFieldProps {
  readonly places: readonly NamedPlace[]
  readonly place: Place
  readonly onPlace: (place: Place) => void
  /** Where the stages of a project are chosen, if they are not here. */
  readonly elsewhere?: ReactNode
}

/** Chooses one of the places that the viewer manages. */
export function PlaceField({ places, place, onPlace, elsewhere }: PlaceFieldProps) {
  const at = places.findIndex((each) => placeName(each) === placeName(place))
  return (
    <NativeSelect
      label={labels.grant.place}
      description={places.some(({ stageSlug }) => stageSlug !== undefined) ? undefined : elsewhere}
      data={places.map(({ name }, index) => ({ value: String(index), label: name }))}
      value={String(at)}
      onChange={({ currentTarget }) => onPlace(places[Number(currentTarget.value)] ?? place)}
    />
  )
}
