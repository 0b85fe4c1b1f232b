import { TextInput } from '@mantine/core'
import type { GetInputPropsReturnType } from '@mantine/form'
import { useState, type ChangeEvent } from 'react'
import { slugOf } from '../lib/slug.ts'

interface SlugFieldsProps {
  /** Of what name and slug are. */
  readonly what: 'Organization' | 'Project' | 'Stage'
  /** What the form gives its inputs. */
  readonly name: GetInputPropsReturnType
  readonly slug: GetInputPropsReturnType
}

/** Name and slug of something new; the slug follows the name until it is edited. */
export function SlugFields({ what, name, slug }: SlugFieldsProps) {
  const [isFollowing, setFollowing] = useState(true)
  const changeName = (event: ChangeEvent<HTMLInputElement>): void => {
    name.onChange(event)
    if (isFollowing) slug.onChange(slugOf(event.currentTarget.value))
  }
  const changeSlug = (event: ChangeEvent<HTMLInputElement>): void => {
    setFollowing(event.currentTarget.value === '')
    slug.onChange(event)
  }
  return (
    <>
      <TextInput
        {...name}
        onChange={changeName}
        label={`${what} name`}
        autoComplete={what === 'Organization' ? 'organization' : 'off'}
        data-autofocus={what !== 'Organization' || undefined}
        required
      />
      <TextInput
        {...slug}
        onChange={changeSlug}
        label={`${what} slug`}
        description="The short name that commands and requests use. It cannot be changed later."
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        required
      />
    </>
  )
}
