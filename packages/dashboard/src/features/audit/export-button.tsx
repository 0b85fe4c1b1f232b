import { Group } from '@mantine/core'
import { useRef } from 'react'
import { BusyButton } from '../../ui/busy-button.tsx'
import { ProblemNotice } from '../../ui/error-notice.tsx'
import { useAuditExport } from './use-audit-export.ts'
import type { AuditSearch } from './audit-search.ts'
import { ExportProgress } from './export-progress.tsx'

interface ExportButtonProps {
  readonly search: AuditSearch
}

export function ExportButton({ search }: ExportButtonProps) {
  const { count, cancel, run } = useAuditExport(search)
  const button = useRef<HTMLButtonElement>(null)
  const giveUp = (): void => {
    cancel()
    button.current?.focus()
  }
  return (
    <>
      <Group>
        <BusyButton ref={button} size="sm" variant="default" isBusy={run.isPending} onClick={() => run.mutate()}>
          Export as JSON lines
        </BusyButton>
        {run.isPending && <ExportProgress count={count} onCancel={giveUp} />}
      </Group>
      <ProblemNotice error={run.error} />
    </>
  )
}
