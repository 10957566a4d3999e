from hypothesis import HealthCheck, settings

# How fast a busy machine makes examples says nothing about the code.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")
