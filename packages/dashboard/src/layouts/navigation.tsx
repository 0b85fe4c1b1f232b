import { Link } from '@tanstack/react-router'
import classes from './shell.module.css'

const pages = [
  { to: '/', label: 'Home', isExact: true },
  { to: '/projects', label: 'Projects', isExact: false },
  { to: '/members', label: 'Members', isExact: true },
  { to: '/account', label: 'Account', isExact: true },
] as const

export function Navigation() {
  return (
    <nav aria-label="Main" className={classes['navigation']}>
      {pages.map(({ to, label, isExact }) => (
        <Link key={to} to={to} className={classes['link'] ?? ''} activeOptions={{ exact: isExact }}>
          {label}
        </Link>
      ))}
    </nav>
  )
}
