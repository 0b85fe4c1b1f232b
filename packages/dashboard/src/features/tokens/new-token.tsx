import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useScope } from '../../session/use-scope.ts'
import type { NewServiceToken } from './new-token-values.ts'
import { createServiceToken, serviceTokensQuery } from './queries.ts'
import { NewTokenForm } from './new-token-form.tsx'
import { ShownToken } from './shown-token.tsx'

interface NewTokenProps {
  readonly onDone: () => void
}

/** The token is in the state of this component alone, and goes with it. */
export function NewToken({ onDone }: NewTokenProps) {
  const scope = useScope()
  const queryClient = useQueryClient()
  const [token, setToken] = useState<string | undefined>()
  // Its result would stay in the memory of all requests, so it has none.
  const create = useMutation({
    mutationFn: async (asked: NewServiceToken) => setToken(await createServiceToken(scope, asked)),
    onSuccess: () => queryClient.invalidateQueries(serviceTokensQuery(scope)),
  })
  return token === undefined ? <NewTokenForm mutation={create} /> : <ShownToken token={token} onDone={onDone} />
}
