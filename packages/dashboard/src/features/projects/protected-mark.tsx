import { StatusDot } from '../../ui/status.tsx'
import { labels } from './labels.ts'

interface ProtectedMarkProps {
  readonly isProtected: boolean | undefined
}

/** Marks a protected stage next to its name. */
export function ProtectedMark({ isProtected = false }: ProtectedMarkProps) {
  return isProtected && <StatusDot status="protected">{labels.protected}</StatusDot>
}
