import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { focusHeading } from './focus-heading.ts'
import { toast } from './toast.ts'

export interface RevokeButtonProps {
  /** What ends, such as "the session of laptop". */
  readonly what: string
  /** What that does. */
  readonly children: ReactNode
  readonly revoke: () => Promise<void>
  /** Of the list that it leaves. */
  readonly queryKey: readonly unknown[]
}

/** Ends a credential, after a question. */
export function RevokeButton({ what, children, revoke, queryKey }: RevokeButtonProps) {
  const [isAsking, { open, close }] = useDisclosure()
  const queryClient = useQueryClient()
  const end = useMutation({
    mutationFn: revoke,
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey })
      toast.success(`Revoked ${what}`)
      focusHeading()
    },
  })
  return (
    <>
      <Button size="sm" variant="default" aria-label={`Revoke ${what}`} onClick={open}>
        Revoke
      </Button>
      <ConfirmDialog title={`Revoke ${what}?`} label="Revoke" mutation={end} opened={isAsking} onClose={close}>
        {children}
      </ConfirmDialog>
    </>
  )
}
