package calibration

// A kind is a family of problems: draw states one in an empty draft.
type kind struct {
	name   string
	family string
	draw   func(p *draft) error
}

// kinds lists all kinds, by family.
var kinds = []kind{
	{"relaxation", "ode", relaxation},
	{"relaxation-varying", "ode", relaxationVarying},
	{"oscillator", "ode", oscillator},
	{"oscillator-damped", "ode", dampedOscillator},
	{"diffusion-varying-1d", "ode", varyingDiffusion1D},
	{"third-order", "ode", thirdOrder},
	{"beam", "ode", beam},
	{"beam-on-ground", "ode", beamOnGround},
	{"poisson-1d", "ode", poisson1D},
	{"helmholtz-1d", "ode", helmholtz1D},
	{"drift-diffusion-1d", "ode", driftDiffusion1D},
	{"fin", "ode", fin},
	{"laplace", "elliptic", laplace},
	{"poisson", "elliptic", poisson},
	{"poisson-unknown", "elliptic", poissonUnknown},
	{"recharge", "elliptic", recharge},
	{"helmholtz-2d", "elliptic", helmholtz2D},
	{"screened", "elliptic", screened},
	{"anisotropic", "elliptic", anisotropic},
	{"diffusion-varying-2d", "elliptic", varyingDiffusion2D},
	{"plate", "elliptic", plate},
	{"laplace-3d", "elliptic", laplace3D},
	{"poisson-3d", "elliptic", poisson3D},
	{"heat", "parabolic", heat},
	{"heat-source", "parabolic", heatSource},
	{"heat-backward", "parabolic", heatBackward},
	{"heat-varying", "parabolic", heatVarying},
	{"heat-2d", "parabolic", heat2D},
	{"drift-diffusion", "parabolic", driftDiffusion},
	{"decay", "parabolic", decay},
	{"ring", "parabolic", ring},
	{"cooling", "parabolic", cooling},
	{"advection", "hyperbolic", advection},
	{"advection-varying", "hyperbolic", advectionVarying},
	{"advection-2d", "hyperbolic", advection2D},
	{"wave-string", "hyperbolic", waveString},
	{"wave-free", "hyperbolic", waveFree},
	{"wave-forced", "hyperbolic", waveForced},
	{"telegraph", "hyperbolic", telegraph},
	{"wave-2d", "hyperbolic", wave2D},
	{"klein-gordon", "dispersive", kleinGordon},
	{"korteweg-de-vries", "dispersive", kortewegDeVries},
	{"vibrating-beam", "dispersive", vibratingBeam},
	{"schroedinger", "dispersive", schroedinger},
	{"acoustics", "systems", acoustics},
	{"stokes", "systems", stokes},
	{"exchange", "systems", exchange},
	{"plane-stress", "systems", planeStress},
	{"darcy", "systems", darcy},
	{"pendulums", "systems", pendulums},
	{"wall", "systems", wall},
}

// Kinds returns the names of all kinds of problems.
func Kinds() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}
