import { totalmem } from 'node:os'

/** Returns the memory limit of the control group, or the memory of the machine if that is less, in bytes. */
export function memoryLimit(): number {
  return Math.min(process.constrainedMemory() || Infinity, totalmem())
}
