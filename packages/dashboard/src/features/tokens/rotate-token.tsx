import { Button, NativeSelect, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import type { ListedServiceToken } from '@rollkey/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { absoluteTime } from '../../lib/time.ts'
import { useScope } from '../../session/scope.ts'
import { FormDrawer, SubmitForm } from '../../ui/form.tsx'
import { labels } from './labels.ts'
import { ShownToken } from './new-token.tsx'
import { lifetimes } from './new-token-values.ts'
import { rotateServiceToken, serviceTokensQuery } from '../../data/service-tokens.ts'

const words = labels.rotate

const overlaps = Object.entries(words.overlaps).map(([value, label]) => ({ value, label }))

interface RotateTokenProps {
  readonly token: ListedServiceToken
}

/** Replaces the secret of a token and shows the new one once. Only the state of this component has it. */
export function RotateToken({ token: { id, name, projectSlug, stageSlug } }: RotateTokenProps) {
  const scope = useScope()
  const queryClient = useQueryClient()
  const [isOpen, { open, close }] = useDisclosure()
  const [created, setCreated] = useState<{ readonly token: string; readonly former: string }>()
  const form = useForm({ initialValues: { overlap: '24', lifetime: '365' } })
  const rotate = useMutation({
    mutationFn: async ({ overlap, lifetime }: typeof form.values) => {
      const overlapHours = Number(overlap)
      const { token, formerExpiresAtMs } = await rotateServiceToken(scope, id, {
        overlapHours,
        expiresInDays: Number(lifetime),
      })
      const { former, formerEnded } = labels.replaced
      setCreated({ token, former: overlapHours === 0 ? formerEnded : former(absoluteTime(formerExpiresAtMs)) })
    },
    onSuccess: () => {
      close()
      return queryClient.invalidateQueries(serviceTokensQuery(scope))
    },
  })
  return (
    <>
      <Button size="sm" variant="subtle" color="gray" aria-label={words.of(name)} onClick={open}>
        {words.button}
      </Button>
      <FormDrawer opened={isOpen} onClose={close} title={words.of(name)}>
        <SubmitForm form={form} mutation={rotate} label={words.submit}>
          <Text c="dimmed">{words.text}</Text>
          <NativeSelect
            {...form.getInputProps('overlap')}
            label={words.overlap}
            description={words.overlapUse}
            data={overlaps}
            data-autofocus
          />
          <NativeSelect {...form.getInputProps('lifetime')} label={labels.create.expiresIn} data={lifetimes} />
        </SubmitForm>
      </FormDrawer>
      {created && (
        <ShownToken
          {...{ name, place: { projectSlug, stageSlug } }}
          {...created}
          onDone={() => setCreated(undefined)}
        />
      )}
    </>
  )
}
