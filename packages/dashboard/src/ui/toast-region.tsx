import { lazy, Suspense } from 'react'

const Toasts = lazy(async () => ({ default: (await import('./toasts.tsx')).Toasts }))

/** The place of all toasts; once in the application. */
export function ToastRegion() {
  return (
    <Suspense>
      <Toasts />
    </Suspense>
  )
}
