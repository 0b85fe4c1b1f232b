import { Outlet } from '@tanstack/react-router'
import { CardLayout } from './card-layout.tsx'

export function CardRoute() {
  return (
    <CardLayout>
      <Outlet />
    </CardLayout>
  )
}
