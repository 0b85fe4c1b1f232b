import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { connect } from '../../service/connection.ts'
import { useReachability } from '../../service/reachability.ts'
import { Banner } from '../../ui/banner.tsx'
import { toast } from '../../ui/toast.ts'
import { labels } from '../labels.ts'

const retryIntervalMs = 3000

/** Says that the server does not answer, asks until it does, and then reads again what the page shows. */
export function ServerBanner() {
  const reachability = useReachability()
  const queryClient = useQueryClient()
  useQuery({
    queryKey: ['server answers'],
    queryFn: () => connect().call('webSettings', {}),
    enabled: reachability !== 'reachable',
    refetchInterval: retryIntervalMs,
    gcTime: 0,
  })
  const before = useRef(reachability)
  useEffect(() => {
    if (before.current === 'lost' && reachability !== 'lost') {
      toast.success(labels.server.found)
      void queryClient.invalidateQueries()
    }
    before.current = reachability
  }, [reachability, queryClient])
  if (reachability === 'reachable') return null
  return <Banner kind={reachability === 'lost' ? 'offline' : 'warning'}>{labels.server[reachability]}</Banner>
}
